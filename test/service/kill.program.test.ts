import { join } from 'node:path';

import { get } from '../../scripts/harness';
import { databaseIn, storedMessages } from './stored-messages';
import { useServices } from './use-services';

describe('a process', () => {
  const services = useServices();

  it('60 Loses no message that was acknowledged before kill -9', async () => {
    const folder = join(services.folder, 'killed');
    const service = await services.start({ settings: { DATA_DIR: folder } });
    const phones = Array.from({ length: 8 }, (_, i) => `555111220${String(i)}`);
    const answers = await Promise.all(
      phones.map((phone) => service.ask(get('AuthCodeSending', 'AuthCode', `code=1&phone=${phone}`))),
    );
    service.signal('SIGKILL');
    expect(answers.map(({ status }) => status)).toEqual(phones.map(() => 200));
    await service.ended();
    expect((await storedMessages(databaseIn(folder))).map(({ recipient }) => recipient).sort()).toEqual(
      phones,
    );
  });
});
