import type { Config } from '../config';
import { attempted, type Finding, tryTo } from '../support/errors';
import { readGateways } from './gateways/gateway-file';
import { shadowedRules } from './gateways/shadowed-rules';
import { openWording, readDeliveryFile } from './wording';
import { pushTransport, smsTransports } from './transports/transports';

/** Checks the delivery's settings, without sending anything. */
export function deliveryFindings(config: Config): readonly Finding[] {
  const refusals = (check: (config: Config) => unknown): readonly Finding[] =>
    attempted(() => {
      check(config);
      return [];
    });
  // The console has its own use for the file.
  if (config.ROLE === 'web') return refusals(({ DELIVERY_FILE }) => readDeliveryFile(DELIVERY_FILE));
  return [
    ...attempted(() => longTexts(config)),
    ...refusals(smsTransports),
    ...refusals(pushTransport),
    ...findingsForUnsent(config),
    ...findingsForGateways(config),
    ...findingsForRules(config),
  ];
}

function longTexts(config: Config): readonly Finding[] {
  return openWording(config)
    .wording.longSms()
    .map((long) => {
      const remedy = long.encoding === 'UCS-2' ? ', or avoid letters that are not in GSM-7' : '';
      const where = long.country === undefined ? '' : `, to ${long.country}`;
      return {
        level: 'warn',
        fields: { ...long },
        message: `The text of a code needs ${String(long.parts)} SMS, which are charged separately (${long.language}${where}). Shorten it${remedy}.`,
      };
    });
}

function findingsForUnsent({ SMS_CHANNEL, PUSH_CHANNEL, GATEWAYS_FILE }: Config): readonly Finding[] {
  return Object.entries({ SMS_CHANNEL, PUSH_CHANNEL })
    .filter(([, kind]) => kind === 'file')
    .map(([name]) => {
      const fields = { channel: name.replace('_CHANNEL', '').toLowerCase() };
      if (name === 'SMS_CHANNEL' && GATEWAYS_FILE !== undefined) {
        const message =
          'GATEWAYS_FILE is set, but SMS are not sent (SMS_CHANNEL=file). Set SMS_CHANNEL=http.';
        return { level: 'error', fields, message };
      }
      return {
        level: 'warn',
        fields,
        message: `${name === 'SMS_CHANNEL' ? 'SMS' : 'Push messages'} are not sent (${name}=file); they are only written to a file.`,
      };
    });
}

/** Warns that numbers without a country code reach gateways as callers write them. */
function findingsForGateways({ SMS_CHANNEL, DEFAULT_COUNTRY }: Config): readonly Finding[] {
  if (SMS_CHANNEL !== 'http' || DEFAULT_COUNTRY !== undefined) return [];
  const message =
    'DEFAULT_COUNTRY is not set. Numbers without a country code go to the SMS gateway unchanged, and limits only compare their last nine digits.';
  return [{ level: 'warn', message }];
}

/** Warns of rules that are never used; an unusable file is a finding of its own. */
function findingsForRules({ SMS_CHANNEL, GATEWAYS_FILE: path }: Config): readonly Finding[] {
  if (SMS_CHANNEL !== 'http' || path === undefined) return [];
  const file = tryTo(() => readGateways(path));
  if (file === undefined) return [];
  return shadowedRules(file.gateways, file.routes).map((text) => ({
    level: 'warn',
    message: `GATEWAYS_FILE: ${text}`,
  }));
}
