import type { FakeProvider, ReceivedRequest } from './fake-provider';

/** What reached the provider: under each key, the times (milliseconds) at which it was taken. */
export type Receipts = ReadonlyMap<string, readonly number[]>;

interface SmsBody {
  readonly to: string;
}
interface PushBody {
  readonly message: { readonly token: string; readonly data: { readonly note: string } };
}

interface Waiting {
  readonly missing: Set<string>;
  readonly done: () => void;
}

/** Keeps the times at which each message reached the provider, by its phone, or by its note and token. */
export class ProviderLog {
  readonly #receipts = new Map<string, number[]>();
  readonly #waiting = new Set<Waiting>();

  constructor(provider: FakeProvider) {
    provider.usual = (request) => {
      this.#receive(keyOf(request));
      return { status: 200, body: '{}' };
    };
  }

  get receipts(): Receipts {
    return this.#receipts;
  }

  /** Resolves when all of these have arrived, or the time is over; to whether they have. */
  async arrived(keys: readonly string[], withinMs: number): Promise<boolean> {
    const missing = new Set(keys.filter((key) => !this.#receipts.has(key)));
    if (missing.size === 0) return true;
    await new Promise<void>((resolve) => {
      const waiting: Waiting = {
        missing,
        done: () => {
          clearTimeout(late);
          this.#waiting.delete(waiting);
          resolve();
        },
      };
      const late = setTimeout(waiting.done, withinMs);
      this.#waiting.add(waiting);
    });
    return missing.size === 0;
  }

  #receive(key: string): void {
    const times = this.#receipts.get(key) ?? [];
    this.#receipts.set(key, times);
    times.push(performance.now());
    for (const { missing, done } of this.#waiting) {
      if (missing.delete(key) && missing.size === 0) done();
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
