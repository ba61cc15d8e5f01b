import { FEATURE_RETIRED } from '../features/feature';

/** Lists what to do about settings of earlier versions, whose values are fixed now or follow from others. */
export const RETIRED_SETTINGS: Readonly<Record<string, string>> = {
  MAX_LARGE_BODIES: 'remove it; 8 request bodies over 64 KB are read at once',
  MAX_XML_DEPTH: 'remove it; elements may be nested 64 levels deep',
  MAX_XML_ATTRIBUTES: 'remove it; an element may have 128 attributes',
  MAX_XML_ELEMENTS: 'remove it; a request may have 100,000 elements',
  MAX_PATH_CHARACTERS: 'remove it; a path may have 260 characters',
  MAX_UNSENT_BYTES: 'write MAX_BODY_BYTES; 16 times as many bytes may wait for slow callers',
  HEADERS_TIMEOUT_SECONDS:
    'remove it; the headers may take 20 seconds, or REQUEST_TIMEOUT_SECONDS if that is less',
  RESPONSE_TIMEOUT_SECONDS:
    'remove it; a caller may read nothing for 30 seconds, or REQUEST_TIMEOUT_SECONDS if that is less',
  DATABASE_STATEMENT_TIMEOUT_SECONDS: 'remove it; a statement may take 10 seconds',
  IMPORT_EVERY: 'remove it; IMPORT_FOLDER is looked at every minute',
  LEASE_SECONDS: 'write PROVIDER_TIMEOUT_SECONDS; a lease is three times as long',
  WAITING_NOTES_OF_UNKNOWN_SCHOOLS: 'remove it; 5,000 notes of unknown schools may wait for their data',
  WAITING_NOTES_PER_SCHOOL: 'remove it; 500 notes of a school may wait for its data',
  CODE_COOL_DOWN_SECONDS: 'write CODE_LIMITS=5/10m,20/24h,1/30s for 30 seconds',
  CODES_PER_TEN_MINUTES: 'write CODE_LIMITS=5/10m,20/24h for 5',
  CODES_PER_DAY: 'write CODE_LIMITS=5/10m,20/24h for 20',
  CODES_PER_DAY_OVERALL: 'write CODE_LIMITS=5/10m,20/24h,all:1000/day for 1,000',
  PUSH_TITLE: 'write DELIVERY_FILE with { "language": "en", "languages": { "en": { "pushTitle": … } } }',
  PUSH_BODY: 'write DELIVERY_FILE with { "language": "en", "languages": { "en": { "pushBody": … } } }',
  FCM_URL: 'write it as fcm_url in the file of FCM_SERVICE_ACCOUNT',
  DATABASE_POOL_SIZE: 'write ?pool_size=20 at the end of DATABASE_URL',
  SHUTDOWN_SECONDS: 'remove it; a stop may take 30 seconds, or REQUEST_TIMEOUT_SECONDS if that is less',
  HANDLER_TIMEOUT_SECONDS:
    'remove it; an operation may take 110 seconds, or twice REQUEST_TIMEOUT_SECONDS if that is less',
  OUTBOUND_PROXY: 'write HTTPS_PROXY and HTTP_PROXY; NO_PROXY=* uses no proxy',
  FCM_TOKEN_URL: 'remove it; the token_uri in the file of FCM_SERVICE_ACCOUNT is used',
  PUSH_CONCURRENCY: 'write SMS_CONCURRENCY; twice as many push requests are sent at once',
  PREMIUM_NUMBERS: 'remove it; premium-rate and satellite numbers never get codes',
  ...FEATURE_RETIRED,
};
