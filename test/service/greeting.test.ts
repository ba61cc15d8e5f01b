import { greeting } from '../../src/service/announce-start';

describe('the greeting', () => {
  const address = 'http://localhost:8080';
  const served = {
    services: [
      { name: 'Marks', path: '/Marks.asmx' },
      { name: 'PushNotificationMobile', path: '/PushNotificationMobile.asmx' },
    ],
    examples: [
      { title: 'HTTP GET', command: 'curl 1' },
      { title: 'HTTP POST', command: 'curl 2' },
    ],
    certificateNames: undefined,
  };

  it('lists every service, the example commands and the metrics', () => {
    expect(greeting(served, address, 'http://127.0.0.1:8081', 'sample').split('\n')).toEqual([
      'Listening on http://localhost:8080',
      '  Marks                   http://localhost:8080/Marks.asmx',
      '  PushNotificationMobile  http://localhost:8080/PushNotificationMobile.asmx',
      'Examples for each binding:',
      '  HTTP GET   curl 1',
      '  HTTP POST  curl 2',
      'Console: http://127.0.0.1:8081/ (metrics: http://127.0.0.1:8081/metrics)',
      'Press Ctrl-C to stop.',
    ]);
  });

  it('shows how to fill a database without schools, and calls nothing that would find nothing', () => {
    expect(greeting(served, address, undefined, 'nothing').split('\n').slice(3, -2)).toEqual([
      'The database is empty.',
      '  Load school data:          npx school-notifications import FOLDER',
      '  Or try the sample school:  SAMPLE_DATA=true DATABASE_URL=sqlite:sample.db npx school-notifications start',
      '  Service description:       curl "http://localhost:8080/PushNotificationMobile.asmx?WSDL"',
    ]);
  });

  it('asks to replace the device of the examples in a database of other schools', () => {
    expect(greeting(served, address, undefined, 'others')).toContain(
      '\nExamples for each binding (replace DEV-1 by one of your devices):\n  HTTP GET   curl 1\n',
    );
  });

  it('shows the names of the certificate', () => {
    const certificateNames = ['school.example', '192.0.2.1'];
    expect(greeting({ ...served, certificateNames }, address, undefined, 'sample')).toContain(
      '\nCertificate for school.example, 192.0.2.1. If curl does not trust it, add --cacert FILE.\n',
    );
  });

  it('shows when the console is off', () => {
    expect(greeting(served, address, undefined, 'sample')).toContain('The console is off.');
  });
});
