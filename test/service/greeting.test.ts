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

  it('lists every service, the lines to try, and the metrics', () => {
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

  it('says of a database without schools how to fill it, and calls nothing that finds nothing', () => {
    expect(greeting(served, address, undefined, 'nothing').split('\n').slice(3, -2)).toEqual([
      'The database is empty.',
      '  Load school data:          npx school-notifications import FOLDER',
      '  Or try the sample school:  SAMPLE_DATA=true DATABASE_URL=sqlite:sample.db npx school-notifications start',
      '  Service description:       curl "http://localhost:8080/PushNotificationMobile.asmx?WSDL"',
    ]);
  });

  it('says that the device of the lines to try is not in a database of other schools', () => {
    expect(greeting(served, address, undefined, 'others')).toContain(
      '\nExamples for each binding (replace DEV-1 by one of your devices):\n  HTTP GET   curl 1\n',
    );
  });

  it('says for whom the certificate is', () => {
    const certificateNames = ['school.example', '192.0.2.1'];
    expect(greeting({ ...served, certificateNames }, address, undefined, 'sample')).toContain(
      '\nCertificate for school.example, 192.0.2.1. If curl does not trust it, add --cacert FILE.\n',
    );
  });

  it('says when there are no pages for the operator', () => {
    expect(greeting(served, address, undefined, 'sample')).toContain('The console is off.');
  });
});
