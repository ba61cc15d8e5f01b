import { join } from 'node:path';

import { passwordOf, writeUsers } from '../admin/login/users';
import { useServicesHere } from './use-services-here';

const logInForm = (name: string) => ({ name, password: passwordOf(name) });

describe('the admin port', () => {
  const services = useServicesHere();

  it('is open to other machines only with a users file, and logs out a user whose password changed', async () => {
    const file = join(services.folder, 'admins.json');
    writeUsers(file);
    const service = await services.start({
      settings: { ADMIN_HOST: '0.0.0.0', ADMIN_USERS_FILE: file },
    });
    const ask = async (cookie: string) => {
      const { status } = await service.askAdmin({ path: '/', headers: [['Cookie', cookie]] });
      return status;
    };
    expect(await ask('')).toBe(303);
    const entered = await service.askAdmin({
      ...{ method: 'POST', path: '/login', body: new URLSearchParams(logInForm('anna')).toString() },
      headers: [['Content-Type', 'application/x-www-form-urlencoded']],
    });
    const [cookie = ''] = (entered.header('Set-Cookie') ?? '').split(';');
    expect(await ask(cookie)).toBe(200);

    writeUsers(file, () => 'another password');
    expect(await service.reload()).toMatchObject({ changed: ['ADMIN_USERS_FILE'] });
    expect(await ask(cookie)).toBe(303);
  });
});
