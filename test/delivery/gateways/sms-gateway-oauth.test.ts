import { writeGatewaysFile } from '../../../scripts/harness/delivery';
import { AccessTokens } from '../../../src/delivery/gateways/sms-gateway';
import { readGateways } from '../../../src/delivery/gateways/gateway-file';
import { ProviderClient } from '../../../src/delivery/transports/provider-client';
import { useFolderPerTest } from '../../harness/use-folder';
import { expectNoPersonalData, NO_PROXY, patience, SMS } from '../transports/transport-kit';
import { useProvider } from '../use-provider';
import { useGateways } from './use-gateways';

type Description = Readonly<Record<string, unknown>>;

describe('an SMS gateway', () => {
  afterEach(() => jest.restoreAllMocks());
  const folder = useFolderPerTest();
  const provider = useProvider();
  const open = useGateways();
  const make = (description: Description = {}) => open({ url: provider().url, ...description });
  const send = async (description: Description = {}, message = SMS) => {
    const transport = make(description);
    const outcome = await transport.send(message, patience(provider()));
    await transport.close();
    expectNoPersonalData(outcome);
    return outcome;
  };

  describe('with OAuth client credentials', () => {
    const oauth = (more: object = {}) => ({
      url: `${provider().url}/sms`,
      authorization: {
        type: 'oauth',
        tokenUrl: `${provider().url}/oauth`,
        clientId: 'me',
        clientSecret: 's:ecret',
        scope: 'sms',
        ...more,
      },
    });
    let given: number;
    beforeEach(() => {
      given = 0;
      provider().usual = ({ path }) => {
        if (path !== '/oauth') return { status: 200, body: '{}' };
        given += 1;
        return { status: 200, body: JSON.stringify({ access_token: `t${String(given)}`, expires_in: 300 }) };
      };
    });
    const tokens = () =>
      provider()
        .received.filter(({ path }) => path === '/sms')
        .map(({ headers }) => headers.authorization);

    it('requests a token once, and again before it expires', async () => {
      const now = jest.spyOn(Date, 'now').mockReturnValue(0);
      const gateway = make(oauth());
      const both = Array.from({ length: 2 }, () => gateway.send(SMS, patience(provider())));
      expect((await Promise.all(both)).map(({ kind }) => kind)).toEqual(['sent', 'sent']);
      now.mockReturnValue(239_999);
      await gateway.send(SMS, patience(provider()));
      now.mockReturnValue(240_000);
      await gateway.send(SMS, patience(provider()));
      await gateway.close();
      expect(tokens()).toEqual(['Bearer t1', 'Bearer t1', 'Bearer t1', 'Bearer t2']);
      expect(provider().received[0]).toMatchObject({
        body: 'grant_type=client_credentials&scope=sms',
        headers: { authorization: `Basic ${btoa('me:s%3Aecret')}` },
      });
    });

    it.each([59, 60, 61, 119, 120, 121])(
      'keeps a token that lives %i s for half of it at least',
      async (life) => {
        const now = jest.spyOn(Date, 'now').mockReturnValue(0);
        const gateway = make(oauth());
        const answer = (token: string) => JSON.stringify({ access_token: token, expires_in: life });
        provider().next.push({ status: 200, body: answer('first') });
        const keptMs = Math.max(life * 500, life * 1000 - 60_000);
        for (const time of [0, keptMs - 1, keptMs]) {
          now.mockReturnValue(time);
          await gateway.send(SMS, patience(provider()));
        }
        await gateway.close();
        expect(tokens()).toEqual(['Bearer first', 'Bearer first', 'Bearer t1']);
      },
    );

    it('keeps a new token when the refusal of the last one comes late', async () => {
      const [gateway] = readGateways(writeGatewaysFile(folder(), oauth())).gateways;
      const client = new ProviderClient({ maximum: 1, areReused: true }, NO_PROXY);
      const held = gateway && AccessTokens.of(gateway, client);
      const get = async () => {
        const access = await held?.get(patience(provider()));
        if (access?.kind !== 'access') throw new Error('There is no token');
        return access;
      };
      const first = await get();
      held?.forget(first);
      const second = await get();
      held?.forget(first);
      const used = [first, second, await get()].map(({ header }) => header['Authorization']);
      expect(used).toEqual(['Bearer t1', 'Bearer t2', 'Bearer t2']);
      await client.close();
    });

    it('requests another token after one was revoked', async () => {
      const gateway = make(oauth({ credentialsIn: 'body' }));
      await gateway.send(SMS, patience(provider()));
      provider().next.push({ status: 401 });
      expect(await gateway.send(SMS, patience(provider()))).toMatchObject({ kind: 'sent' });
      await gateway.close();
      expect(tokens()).toEqual(['Bearer t1', 'Bearer t1', 'Bearer t2']);
      expect(provider().received[0]?.body).toContain('client_id=me&client_secret=s%3Aecret');
    });

    it.each([
      [{ status: 400, body: '{"error":"invalid_client"}' }, 'stopped'],
      [{ status: 429 }, 'failing'],
      [{ status: 503 }, 'failing'],
      [{ status: 200, body: '{"token":"t"}' }, 'failing'],
    ])('sends nothing while the token server answers %j', async (answer, kind) => {
      provider().next.push(answer);
      expect(await send(oauth())).toMatchObject({ kind });
      expect(tokens()).toEqual([]);
    });
  });
});
