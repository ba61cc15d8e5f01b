import { form, get } from '../../scripts/harness';
import { writeByHand } from '../interop/clients/hand-written-request';
import { CALLS } from '../support/contract-operations';
import { useServices } from './use-services';

describe('personal data', () => {
  const services = useServices();

  it('is in no log line and no metric, whatever is called and however it ends', async () => {
    const service = await services.start({ settings: { LOG_LEVEL: 'trace' } });
    const marked = [
      'MARK-CODE',
      'MARKPHONE',
      '5557654321',
      '555765',
      'MARK-SCHOOL',
      'MARK-NOTE',
      'MARK-CLASS',
    ];
    const requests = [
      // Every argument of the contract by every binding.
      ...CALLS.map(({ binding, ...operation }) => {
        const args = operation.parameters.map(({ name }) => `MARK-${name}`);
        return writeByHand(binding, operation, args);
      }),
      get('AuthCodeSending', 'AuthCode', 'code=MARK-CODE&phone=%2B905557654321'),
      get('AuthCodeSending', 'AuthCode', 'code=MARK-CODE&phone=5557654321'),
      get('AuthCodeSending', 'AuthCode', 'code=MARK-CODE&phone=MARKPHONE'),
      get('AuthCodeSending', 'AuthCode', `code=${'MARK-CODE'.repeat(9)}&phone=5557654321`),
      get('NotificationNotes', 'GetStudentSchool', 'school_base_url=MARK-SCHOOL&show_active=YY'),
      get('NotificationNotes', 'GetStudentSchool', 'school_base_url=http://school.example&show_active=Y'),
      form(
        'NotificationNotes',
        'SendMarkNotes',
        'id=MARK-NOTE&id_class=MARK-CLASS&baseUrlSchool=MARK-SCHOOL',
      ),
      get('PushNotificationMobile', 'GetTokenDevice', 'id=DEV-1'),
      get('MARK-SCHOOL', 'MARK-NOTE', 'MARK-CODE'),
      get('PushNotificationMobile', 'MARK-NOTE', 'id=MARK-CODE'),
      { method: 'MARKCODE', path: '/PushNotificationMobile.asmx' },
    ];
    for (const request of requests) await service.ask(request);
    const metrics = await service.askAdmin({ path: '/metrics' });
    await service.stop();

    // The token and the names are those of the sample school.
    for (const text of [...marked, 'sample-token', 'Yılmaz', 'MARK']) {
      expect(service.output).not.toContain(text);
      expect(metrics.text).not.toContain(text);
    }
    expect(service.output).toContain('"phone":"+90...21"');
    expect(service.output.match(/"msg":"request"/g)).toHaveLength(requests.length);
  });
});
