import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { useServices } from './use-services';

describe.each(['1', '2'])('a start with PROCESSES=%s', (processes) => {
  const services = useServices();

  it('warns once of each thing that was found before, and goes on', async () => {
    writeFileSync(join(services.folder, '.env'), 'SMS_CHANEL=http\nSMS_CHANNEL=file\n');
    const service = await services.start({ settings: { PROCESSES: processes, HOST: '127.0.0.1' } });
    await service.stop();
    const warnings = await service.lines(
      (lines) => lines.filter(({ level }) => level === 'warn').map(({ msg }) => msg),
      'without a log',
    );
    expect(warnings).toEqual([
      '.env, line 1: SMS_CHANEL is not that of a setting, and changes nothing. The nearest one is SMS_CHANNEL. [.env: SMS_CHANNEL in line 2]',
      'SMS_CHANNEL=file sends nothing: messages are written to a file [.env: SMS_CHANNEL in line 2]',
      'PUSH_CHANNEL=file sends nothing: messages are written to a file',
    ]);
  });
});
