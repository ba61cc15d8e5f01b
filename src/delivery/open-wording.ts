import type { Config } from '../config';
import { type DeliveryFile, readDeliveryFile, Wording } from './wording';

/**
 * The texts of the settings, and what differs by language, country and school.
 *
 * @throws SettingError for texts or a file that cannot be used
 */
export function openWording(config: Config): { readonly wording: Wording; readonly file: DeliveryFile } {
  const file = readDeliveryFile(config.DELIVERY_FILE);
  const { SMS_TEXT: smsText, PUSH_TITLE: pushTitle, PUSH_BODY: pushBody } = config;
  return { wording: new Wording({ smsText, pushTitle, pushBody }, file), file };
}
