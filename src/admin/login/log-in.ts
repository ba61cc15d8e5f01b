import { Credentials, Rates, Rejected } from '../../access';
import { type User, USER_NAME } from './users-file';

/** Maximum number of login attempts for one name from all unknown browsers, and from one known browser. */
const ATTEMPTS = 10;
const ATTEMPTS_WITHIN_MS = 5 * 60_000;

/** Attempts that are counted together. */
class Tries {
  readonly #rates = new Rates(ATTEMPTS_WITHIN_MS);
  #credentials = new Credentials<User>();

  use(users: ReadonlyMap<string, User>): void {
    this.#credentials = new Credentials();
    for (const [name, user] of users) this.#credentials.addUser(name, [user.hash], user);
  }

  /** @param key - of the counter */
  async try(key: string, name: string, password: string, place: string): Promise<User | Rejected> {
    const retryAfter = this.#rates.take(key, ATTEMPTS);
    if (retryAfter > 0) return new Rejected(retryAfter);
    const found = await this.#credentials.callerForUser(name, password, place);
    if (!(found instanceof Rejected)) this.#rates.giveBack(key);
    return found;
  }
}

/**
 * Verifies names and passwords: few attempts for a name and from a place, one at a time. A browser in which a
 * user has logged in before has separate counts, so that strangers cannot lock the user out of it.
 */
export class LogIn {
  readonly #strangers = new Tries();
  readonly #devices = new Tries();

  use(users: ReadonlyMap<string, User>): void {
    this.#strangers.use(users);
    this.#devices.use(users);
  }

  /**
   * @param device - the browser, if this user has logged in there before
   * @param place - origin of the attempt
   */
  async try(
    name: string,
    password: string,
    device: string | undefined,
    place: string,
  ): Promise<User | Rejected> {
    // An invalid name belongs to no user: it gets no counter, and must not contain another name before a
    // colon.
    if (!USER_NAME.test(name)) return new Rejected(0);
    return device === undefined
      ? this.#strangers.try(name, name, password, place)
      : this.#devices.try(device, name, password, device);
  }
}
