import { Credentials, Rates, Rejected } from '../../access';
import { type User, USER_NAME } from './users-file';

/** Log-ins that are tried for one name from wherever strangers come, and from one browser that is known. */
const ATTEMPTS = 10;
const ATTEMPTS_WITHIN_MS = 5 * 60_000;

/** Whose name and password somebody gave, or after how many seconds they may try again; 0 where they are wrong. */
export type LogInResult = { readonly user: string } | { readonly retryAfter: number };

/** Whose attempts are counted together. */
class Tries {
  readonly #rates = new Rates(ATTEMPTS_WITHIN_MS);
  #credentials = new Credentials<string>();

  use(users: ReadonlyMap<string, User>): void {
    this.#credentials = new Credentials();
    for (const [name, { hash }] of users) this.#credentials.addUser(name, [hash], name);
  }

  /** @param key - of the count */
  async try(
    key: string,
    name: string,
    password: string,
    place: string,
    connection: object,
  ): Promise<LogInResult> {
    const retryAfter = this.#rates.take(key, ATTEMPTS);
    if (retryAfter > 0) return { retryAfter };
    const basic = `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
    const found = await this.#credentials.ofUser(basic, place, connection);
    return found instanceof Rejected ? { retryAfter: found.retryAfter } : { user: found };
  }
}

/**
 * Tries names and passwords: few for a name and from a place, one at a time. A browser in which a user has logged in
 * before has counts of its own, so that strangers who guess cannot lock that user out of it.
 */
export class LogIn {
  readonly #strangers = new Tries();
  readonly #devices = new Tries();

  /** From now on these, and nobody else. */
  use(users: ReadonlyMap<string, User>): void {
    this.#strangers.use(users);
    this.#devices.use(users);
  }

  /**
   * @param device - the browser, where the user of that name has logged in there before
   * @param place - where it comes from
   * @param connection - over which it comes
   */
  async try(
    name: string,
    password: string,
    device: string | undefined,
    place: string,
    connection: object,
  ): Promise<LogInResult> {
    // What is no name belongs to nobody: no count, and no other name before its colon.
    if (!USER_NAME.test(name)) return { retryAfter: 0 };
    return device === undefined
      ? this.#strangers.try(name, name, password, place, connection)
      : this.#devices.try(device, name, password, device, connection);
  }
}
