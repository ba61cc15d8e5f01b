import type { AsmxOptions, HttpTimeouts } from '../asmx';
import type { Config } from '../config';

type Told = Required<
  Pick<AsmxOptions, 'namespace' | 'publicAddress' | 'allowedHosts' | 'allowedOrigins' | 'testForm' | 'limits'>
>;

/** What the settings say to the protocol: addresses, who may ask from where, limits. */
export function protocolSettings(config: Config): Told {
  return {
    namespace: config.SERVICE_NAMESPACE,
    publicAddress: config.BASE_URL,
    allowedHosts: config.ALLOWED_HOSTS,
    allowedOrigins: config.ALLOWED_ORIGINS,
    testForm: config.TEST_FORM,
    limits: {
      bodyBytes: config.MAX_BODY_BYTES,
      largeBodies: config.MAX_LARGE_BODIES,
      connections: config.MAX_CONNECTIONS,
      unsentBytes: config.MAX_UNSENT_BYTES,
      unsentMilliseconds: config.RESPONSE_TIMEOUT_SECONDS * 1000,
      xmlDepth: config.MAX_XML_DEPTH,
      xmlAttributes: config.MAX_XML_ATTRIBUTES,
      xmlElements: config.MAX_XML_ELEMENTS,
      queryCharacters: config.MAX_QUERY_CHARACTERS,
      pathCharacters: config.MAX_PATH_CHARACTERS,
      handlerMilliseconds: config.HANDLER_TIMEOUT_SECONDS * 1000,
    },
  };
}

/** How long the settings let a caller take. */
export function timeoutSettings(config: Config): HttpTimeouts {
  return {
    headersMs: config.HEADERS_TIMEOUT_SECONDS * 1000,
    requestMs: config.REQUEST_TIMEOUT_SECONDS * 1000,
    keepAliveMs: config.KEEP_ALIVE_SECONDS * 1000,
  };
}
