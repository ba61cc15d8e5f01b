import type { Config, Reloadable } from '../config';
import { openWording } from './open-wording';
import type { NotBefore } from './policy';
import { quietHoursOf } from './quiet-hours-of';
import type { Wording } from './wording';

/** The texts, and the hours in which notes wait, as the settings and DELIVERY_FILE have them at the moment. */
export class WordingInUse implements Reloadable, Pick<Wording, 'sms' | 'push'> {
  readonly settings = ['DELIVERY_FILE'] as const;
  #wording: Wording;
  #notBefore: NotBefore;

  /** @throws SettingError for texts or a file that cannot be used */
  constructor(config: Config) {
    [this.#wording, this.#notBefore] = read(config);
  }

  reload(config: Config): void {
    [this.#wording, this.#notBefore] = read(config);
  }

  sms(...message: Parameters<Wording['sms']>): ReturnType<Wording['sms']> {
    return this.#wording.sms(...message);
  }

  push(...message: Parameters<Wording['push']>): ReturnType<Wording['push']> {
    return this.#wording.push(...message);
  }

  readonly notBefore: NotBefore = (school, now) => this.#notBefore(school, now);
}

function read(config: Config): [Wording, NotBefore] {
  const { wording, file } = openWording(config);
  return [wording, quietHoursOf(config, file)];
}
