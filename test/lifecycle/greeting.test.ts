import { greeting } from '../../src/lifecycle';

describe('the greeting', () => {
  const content = {
    services: [
      { name: 'Marks', path: '/Marks.asmx' },
      { name: 'PushNotificationMobile', path: '/PushNotificationMobile.asmx' },
    ],
    address: 'http://localhost:8080',
    namespace: 'http://school.example/ns',
    example: { path: '/Marks.asmx', operation: 'Read', parameter: 'id', value: 'M-1' },
    adminAddress: 'http://127.0.0.1:8081',
  };

  it('lists every service, one command per binding, and the metrics', () => {
    expect(greeting(content).split('\n')).toEqual([
      'The service listens on http://localhost:8080',
      '  Marks                   http://localhost:8080/Marks.asmx',
      '  PushNotificationMobile  http://localhost:8080/PushNotificationMobile.asmx',
      'Try it, binding by binding:',
      `  GET       curl 'http://localhost:8080/Marks.asmx/Read?id=M-1'`,
      `  POST      curl -d 'id=M-1' 'http://localhost:8080/Marks.asmx/Read'`,
      expect.stringContaining(`-H 'SOAPAction: "http://school.example/ns/Read"'`),
      expect.stringContaining(`-H 'Content-Type: application/soap+xml; charset=utf-8'`),
      'Metrics for the operator: http://127.0.0.1:8081/metrics',
      'Stop it with Ctrl-C.',
    ]);
  });

  it('says when there are no pages for the operator', () => {
    expect(greeting({ ...content, adminAddress: undefined })).toContain('The operator’s pages are off.');
  });
});
