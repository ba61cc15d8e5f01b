import type { Behaviour, ReceivedRequest } from '../../../scripts/harness/delivery';
import type { SmsMessage } from '../../../src/delivery/transports/transport';
import { expectNoPersonalData, patience, SMS } from '../transports/transport-kit';
import { useProvider } from '../use-provider';
import { useGateways } from './use-gateways';

/** A gateway written out as an operator would, and what it publishes. */
export interface WrittenCase {
  /** Without the address of the stand-in, which stands at BASE. */
  readonly description: object;
  /** Answers before the first request for the message, such as a token. */
  readonly before?: readonly Behaviour[];
  readonly request: (received: ReceivedRequest) => void;
  readonly answers: readonly (readonly [Behaviour, object])[];
}

export const MESSAGE: SmsMessage = { ...SMS, text: 'Kod: 1+1 & "ş"', lifeMs: 300_000 };

export const json = (status: number, body: unknown): Behaviour => ({ status, body: JSON.stringify(body) });
export const text = (body: string, status = 200): Behaviour => ({ status, body });
export const sent = (providerId?: string, more = {}) => ({ kind: 'sent', providerId, ...more });
export const stopped = (detail?: string) => ({
  kind: 'stopped',
  reason: { code: 'account_stopped', detail },
});
export const rejected = (detail?: string) => ({
  kind: 'refused',
  reason: { code: 'provider_rejected', detail },
});

/** Returns a description for a stand-in, as `writeGatewaysFile` takes it. */
export const describedAt = (url: string, description: object): Readonly<Record<string, unknown>> => ({
  ...{ type: undefined, body: undefined },
  ...(JSON.parse(JSON.stringify(description).replaceAll('BASE', url)) as object),
});

/** Holds the requests and answers of a gateway against what it publishes. */
export function testWrittenGateway({ description, before = [], request, answers }: WrittenCase): void {
  const provider = useProvider();
  const open = useGateways();
  const send = async () => {
    const gateway = open(describedAt(provider().url, description));
    const outcome = await gateway.send(MESSAGE, patience(provider()));
    await gateway.close();
    expectNoPersonalData(outcome);
    return outcome;
  };

  it('gets the request that it publishes', async () => {
    provider().next.push(...before);
    await send();
    const received = provider().received.at(-1);
    if (received === undefined) throw new Error('It got none');
    request(received);
  });

  it.each(answers)('has its answer %j interpreted', async (answer, outcome) => {
    provider().next.push(...before, answer);
    expect(await send()).toMatchObject(outcome);
  });

  it.each<readonly [Behaviour, string]>([
    [{ status: 500 }, 'failing'],
    [{ status: 429, headers: { 'Retry-After': '3' } }, 'busy'],
    [{ status: 299, body: '?' }, 'unknown'],
  ])('has the common answer %j interpreted', async (behaviour, kind) => {
    provider().next.push(...before, behaviour);
    expect(await send()).toMatchObject({ kind });
  });
}
