import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

import { useAttackedService } from './attacked-service';
import { expectRecovery } from './store-outage';

describe('failing surroundings: store on SQLite', () => {
  const service = useAttackedService({
    isProgram: true,
    settings: (folder) => ({ DATA_DIR: join(folder, 'data'), REQUEST_TIMEOUT_SECONDS: '1' }),
  });

  it('57 Store on a full disk', async () => {
    const limit = (bytes: string): void => {
      execFileSync('prlimit', ['--pid', String(service.process.pid), `--fsize=${bytes}:unlimited`]);
    };
    const trouble = {
      begin: () => {
        limit('1');
      },
      end: () => {
        limit('unlimited');
      },
    };
    await expectRecovery(service, trouble, 'work');
  });
});
