import type { CountryCode } from 'libphonenumber-js/max';

import { type Config, SettingError } from '../config';
import { attempted, type Finding } from '../support/errors';
import { openWording } from './wording';
import { pushTransport, smsTransports } from './transports/transports';

/**
 * What keeps the delivery from working as the settings say, and what its operator should know, without sending
 * anything.
 */
export function deliveryFindings(config: Config): readonly Finding[] {
  const ofPolicy = attempted(() => {
    homesOf(config);
    return [];
  });
  if (config.ROLE === 'web') return ofPolicy;
  return [
    ...ofPolicy,
    ...attempted(() => {
      refuseShortLease(config);
      return [];
    }),
    ...attempted(() => longTexts(config)),
    ...attempted(() => {
      smsTransports(config);
      return [];
    }),
    ...attempted(() => {
      pushTransport(config);
      return [];
    }),
    ...unsent(config),
    ...ofGateways(config),
  ];
}

/**
 * The countries where the families live, as far as the settings say.
 *
 * @throws SettingError where they must be known and are not
 */
export function homesOf({
  PUMPING_GUARD: guard,
  DEFAULT_COUNTRY: country,
  ALLOWED_COUNTRIES: countries,
}: Config): readonly CountryCode[] {
  const homes = [...(country === undefined ? [] : [country]), ...(countries ?? [])];
  if (guard === 'enforce' && homes.length === 0) {
    throw new SettingError(
      'PUMPING_GUARD=enforce needs DEFAULT_COUNTRY or ALLOWED_COUNTRIES, to know where the families are.',
    );
  }
  return homes;
}

/** @throws SettingError where a provider may take longer than a message is this worker's own */
export function refuseShortLease({ PROVIDER_TIMEOUT_SECONDS, LEASE_SECONDS }: Config): void {
  if (PROVIDER_TIMEOUT_SECONDS < LEASE_SECONDS) return;
  throw new SettingError(
    'PROVIDER_TIMEOUT_SECONDS must be less than LEASE_SECONDS, or two workers would send the same message.',
  );
}

function longTexts(config: Config): readonly Finding[] {
  return openWording(config)
    .wording.longSms()
    .map((long) => {
      const remedy = long.encoding === 'UCS-2' ? ', or leave out letters that GSM-7 lacks' : '';
      const where = long.country === undefined ? '' : `, to ${long.country}`;
      return {
        level: 'warn',
        fields: { ...long },
        message: `the text of a code is sent, and charged, as more than one SMS (${long.language}${where}: ${String(long.parts)}): shorten it${remedy}`,
      };
    });
}

function unsent({ SMS_CHANNEL, PUSH_CHANNEL, GATEWAYS_FILE }: Config): readonly Finding[] {
  return Object.entries({ SMS_CHANNEL, PUSH_CHANNEL })
    .filter(([, kind]) => kind === 'file')
    .map(([name]) => {
      const fields = { channel: name.replace('_CHANNEL', '').toLowerCase() };
      if (name === 'SMS_CHANNEL' && GATEWAYS_FILE !== undefined) {
        const message = 'GATEWAYS_FILE is set, but SMS_CHANNEL=file sends nothing: set SMS_CHANNEL=http';
        return { level: 'error', fields, message };
      }
      return { level: 'warn', fields, message: `${name}=file sends nothing: messages are written to a file` };
    });
}

/** A gateway gets numbers without a country code as callers write them. */
function ofGateways({ SMS_CHANNEL, DEFAULT_COUNTRY }: Config): readonly Finding[] {
  if (SMS_CHANNEL !== 'http' || DEFAULT_COUNTRY !== undefined) return [];
  const message =
    'DEFAULT_COUNTRY is not set: numbers without a country code go to the SMS gateway as they are, and limits tell them apart by their last nine digits';
  return [{ level: 'warn', message }];
}
