import {
  fault11,
  FORM_VOID,
  formError,
  formTokenIs,
  FRESH,
  seen,
  token11Is,
} from '../../harness/asmx-answers';
import { get, type RawRequest, type RawResponse, token11 } from '../../../scripts/harness';
import { type AttackedService, MARK } from './attacked-service';

const SERVER_ERROR = 'An error occurred on the server.';
const FAILED = formError(SERVER_ERROR, FRESH);
const FAULT = fault11('Server', `Server was unable to process request. ---> ${SERVER_ERROR}`, {
  cacheControl: FRESH,
});
export const TOKEN = get('PushNotificationMobile', 'GetTokenDevice', 'id=DEV-1');
export const TOKEN_IS = formTokenIs('sample-token-01');

let phones = 0;
/** Returns a request for a code that no request before it has asked for. */
export const code = (): RawRequest =>
  get(
    'AuthCodeSending',
    'AuthCode',
    `code=${MARK}1&phone=%2B90555765${String((phones += 1)).padStart(4, '0')}`,
  );

export async function readiness(service: AttackedService): Promise<number> {
  return (await service.process.ask({ path: '/readyz' })).status;
}

/** Waits until the service is ready: on a busy machine, its first answer may still be 503. */
export async function untilReady(service: AttackedService): Promise<void> {
  while ((await readiness(service)) !== 200);
}

/** Describes what goes wrong in a store, and what ends it. */
interface StoreOutage {
  begin(): unknown;
  end(): unknown;
}

/**
 * Lets the store fail: the service is not ready, writes get a fault of the server, reads too unless they still work;
 * afterwards all is as before, without a new start.
 */
export async function expectRecovery(
  service: AttackedService,
  trouble: StoreOutage,
  reads: 'fail' | 'work',
): Promise<void> {
  await service.survives(async () => {
    const received: RawResponse[] = [];
    const expectAnswer = async (request: RawRequest, answer: object): Promise<void> => {
      const response = await service.process.ask(request);
      expect(seen(response)).toEqual(answer);
      received.push(response);
    };
    await trouble.begin();
    try {
      // A full disk shows in a write that failed.
      await expectAnswer(code(), FAILED);
      expect(await readiness(service)).toBe(503);
      expect((await service.process.ask({ path: '/healthz' })).status).toBe(200);
      await expectAnswer(TOKEN, reads === 'work' ? TOKEN_IS : FAILED);
      await expectAnswer(token11('DEV-1'), reads === 'work' ? token11Is('sample-token-01') : FAULT);
    } finally {
      await trouble.end();
    }
    await untilReady(service);
    await expectAnswer(code(), FORM_VOID);
    await expectAnswer(TOKEN, TOKEN_IS);
    return received;
  }, 5);
}
