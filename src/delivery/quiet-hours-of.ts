import type { Config } from '../config';
import { type NotBefore, QuietHoursCalendar } from './policy';
import { type DeliveryFile, readDeliveryFile } from './wording';

type QuietSettings = Pick<Config, 'TIME_ZONE' | 'QUIET_HOURS'>;

/** When a school's notes may be sent, by the settings and what DELIVERY_FILE says of the school. */
export function quietHoursOf(config: QuietSettings, { schools }: DeliveryFile): NotBefore {
  const calendar = new QuietHoursCalendar();
  return (school, now) => {
    const { timeZone = config.TIME_ZONE, quietHours = config.QUIET_HOURS } = schools[school] ?? {};
    return quietHours === 'off' ? now : calendar.notBefore(quietHours, timeZone, now);
  };
}

/**
 * The same, with the file as it is now.
 *
 * @throws OperatorError where it cannot be read, or holds what is not allowed
 */
export function readQuietHours(config: QuietSettings & Pick<Config, 'DELIVERY_FILE'>): NotBefore {
  return quietHoursOf(config, readDeliveryFile(config.DELIVERY_FILE));
}
