// The wire contract, section 3, step 7: a handler that takes too long.

import type { Exchange } from '../../src/asmx';
import { form, get, type RawRequest, token11, token12 } from '../../scripts/harness';
import { fault11, FRESH, token11Is } from '../harness/asmx-answers';
import { startAsmxServer } from '../harness/asmx-server';
import { endpointsWith, handlerOf } from '../harness/recording-endpoints';
import { useServer } from '../harness/use-server';

describe('56 A handler that does not settle', () => {
  const reported: Exchange[] = [];
  let settle: (token: string | Promise<string>) => void;
  const server = useServer(() =>
    startAsmxServer({
      limits: { handlerMilliseconds: 50 },
      endpoints: endpointsWith((operation) =>
        operation === 'GetTokenDevice'
          ? ({ id }) =>
              id === 'wait'
                ? new Promise((resolve) => (settle = resolve))
                : Promise.resolve(`TOKEN-${String(id)}`)
          : handlerOf(() => undefined),
      ),
      observe: (exchange) => reported.push({ ...exchange }),
    }),
  );
  beforeEach(() => {
    reported.length = 0;
  });

  it.each<[string, RawRequest, RegExp]>([
    [
      'SOAP 1.1',
      token11('wait'),
      /<faultcode>soap:Server<\/faultcode><faultstring>[^<]*Request timed out\.<\/faultstring>/,
    ],
    ['SOAP 1.2', token12('wait'), /<soap:Value>soap:Receiver<\/soap:Value>.*Request timed out\./],
    ['HTTP GET', get('PushNotificationMobile', 'GetTokenDevice', 'id=wait'), /^Request timed out\.\r\n$/],
    ['HTTP POST', form('PushNotificationMobile', 'GetTokenDevice', 'id=wait'), /^Request timed out\.\r\n$/],
  ])('gets a server fault, over %s', async (_what, request, body) => {
    const response = await server.send(request);
    expect(response.status).toBe(500);
    expect(response.text).toMatch(body);
    settle('too late');
    expect(await server.ask(token11('7'))).toEqual(token11Is('TOKEN-7'));
  });

  it('is reported once, whatever it does afterwards', async () => {
    const timedOut = fault11('Server', 'Server was unable to process request. ---> Request timed out.', {
      cacheControl: FRESH,
    });
    for (const end of ['well', 'badly']) {
      expect(await server.ask(token11('wait'))).toEqual(timedOut);
      settle(end === 'well' ? 'token' : Promise.reject(new Error('too late')));
      await server.send(token11('7'));
      const [first, ...others] = reported.splice(0);
      expect(first).toMatchObject({ outcome: 'server_error', error: new Error('Request timed out.') });
      expect(others).toMatchObject([{ outcome: 'ok' }]);
    }
  });
});
