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
      'The service listens on http://localhost:8080',
      '  Marks                   http://localhost:8080/Marks.asmx',
      '  PushNotificationMobile  http://localhost:8080/PushNotificationMobile.asmx',
      'Try it, binding by binding:',
      '  HTTP GET   curl 1',
      '  HTTP POST  curl 2',
      'The operator’s console: http://127.0.0.1:8081/ (metrics: http://127.0.0.1:8081/metrics)',
      'Stop it with Ctrl-C.',
    ]);
  });

  it('says of a database without schools how to fill it, and calls nothing that finds nothing', () => {
    expect(greeting(served, address, undefined, 'nothing').split('\n').slice(3, -2)).toEqual([
      'The database is empty, so operations find nothing yet.',
      '  Load a school’s data:      npx school-notifications import FOLDER',
      '  Or try a sample school:    SAMPLE_DATA=true DATABASE_URL=sqlite:sample.db npx school-notifications start',
      '  What callers may ask for:  curl "http://localhost:8080/PushNotificationMobile.asmx?WSDL"',
    ]);
  });

  it('says that the device of the lines to try is not in a database of other schools', () => {
    expect(greeting(served, address, undefined, 'others')).toContain(
      '\nTry it, binding by binding, with a device of yours in the place of DEV-1:\n  HTTP GET   curl 1\n',
    );
  });

  it('says for whom the certificate is', () => {
    const certificateNames = ['school.example', '192.0.2.1'];
    expect(greeting({ ...served, certificateNames }, address, undefined, 'sample')).toContain(
      '\nIts certificate is for school.example, 192.0.2.1; where curl does not know its issuer: --cacert FILE.\n',
    );
  });

  it('says when there are no pages for the operator', () => {
    expect(greeting(served, address, undefined, 'sample')).toContain('The operator’s pages are off.');
  });
});
