import type { Config } from '../config';

/** Shorter pieces of a request are in most answers anyhow. */
const SHORTEST_PIECE = 6;
/** Behind what a value in JSON, a form, XML or a query stands. */
const VALUE = /[=:>]\s*["']?([^"'&,;<>{}\s]+)/g;
/** What an address has behind its host. */
const PATH = /^[a-z]+:\/\/[^/?#]*/i;

/**
 * A provider's answer without the secrets of the settings that it may repeat: those that are secrets as a whole, and
 * all values in the address, headers and body of a request to the gateway.
 */
export function withoutSecrets(text: string, config: Config): string {
  const { SMS_HTTP_USER: user, SMS_HTTP_PASSWORD: password, SMS_HTTP_TOKEN: token } = config;
  const basic = Buffer.from(`${user}:${password}`).toString('base64');
  const inUrl = config.SMS_HTTP_URL.replace(PATH, '').split(/[/?&=#]/);
  const inUserInfo = /^[a-z]+:\/\/([^/?#]*)@/i.exec(config.SMS_HTTP_URL)?.[1]?.split(':') ?? [];
  const inHeaders = Object.values(config.SMS_HTTP_HEADERS).flatMap((value) => value.split(' '));
  const inBody = [...config.SMS_HTTP_BODY.matchAll(VALUE)].map(([, value = '']) => value);
  const pieces = [...inUrl, ...inUserInfo, ...inHeaders, ...inBody].filter(
    (piece) => piece.length >= SHORTEST_PIECE && !piece.includes('{') && !/^[a-z]+\/[a-z-]+/.test(piece),
  );
  // The longest first: one may be part of another.
  const secrets = [password, token, basic, ...pieces, ...proxySecrets(config)].filter(
    (secret) => secret !== '',
  );
  return secrets
    .toSorted((a, b) => b.length - a.length)
    .reduce((masked, secret) => masked.replaceAll(secret, '***'), text);
}

/** A proxy that refuses a request may repeat it, with what it was sent to be let through. */
function proxySecrets({ OUTBOUND_PROXY, HTTP_PROXY, HTTPS_PROXY }: Config): readonly string[] {
  return [OUTBOUND_PROXY, HTTP_PROXY, HTTPS_PROXY]
    .filter((proxy) => URL.canParse(proxy))
    .flatMap((proxy) => {
      const { username, password } = new URL(proxy);
      const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
      return secret === '' ? [] : [password, secret, Buffer.from(`${user}:${secret}`).toString('base64')];
    });
}
