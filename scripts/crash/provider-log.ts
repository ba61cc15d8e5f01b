import type { FakeProvider, ReceivedRequest } from '../../test/delivery/fake-provider';

/** What reached the provider: under each key, the times (milliseconds) at which it was taken. */
export type Receipts = ReadonlyMap<string, readonly number[]>;

interface SmsBody {
  readonly to: string;
}
interface PushBody {
  readonly message: { readonly token: string; readonly data: { readonly note: string } };
}

/** Keeps the times at which each message reached the provider, by its phone, or by its note and token. */
export class ProviderLog {
  readonly receipts = new Map<string, number[]>();
  #onReceipt: () => void = () => undefined;

  constructor(provider: FakeProvider) {
    provider.usual = (request) => {
      const key = keyOf(request);
      this.receipts.set(key, [...(this.receipts.get(key) ?? []), performance.now()]);
      this.#onReceipt();
      return { status: 200, body: '{}' };
    };
  }

  /** Resolves when all of these have arrived, or the time is over. */
  async arrived(keys: readonly string[], withinMs: number): Promise<void> {
    const late = AbortSignal.timeout(withinMs);
    late.addEventListener('abort', () => {
      this.#onReceipt();
    });
    while (!late.aborted && keys.some((key) => !this.receipts.has(key))) {
      await new Promise<void>((done) => (this.#onReceipt = done));
    }
  }
}

function keyOf({ path, body }: ReceivedRequest): string {
  if (path.startsWith('/sms')) return (JSON.parse(body) as SmsBody).to; // As SMS_HTTP_BODY says.
  const { message } = JSON.parse(body) as PushBody; // As the FCM channel writes it.
  return pushKey(message.data.note, message.token);
}

export function pushKey(note: string, token: string): string {
  return `${note} ${token}`;
}
