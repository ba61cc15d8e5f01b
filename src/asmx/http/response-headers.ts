const VERSION = ['X-AspNet-Version', '4.0.30319'] as const;

/** Cache-Control of answers, and of errors found before an operation ran (wire contract, section 2.6). */
export const CACHE_RESULT = 'private, max-age=0';
export const CACHE_ERROR = 'private';

// These answers may quote the caller's text: browsers must not interpret it as another type.
const NOSNIFF = ['X-Content-Type-Options', 'nosniff'] as const;
const POLICY = 'Content-Security-Policy';
/** Policy for plain text: nothing is loaded or run, even if a browser misinterprets the type. */
const TEXT_POLICY = [POLICY, "default-src 'none'; frame-ancestors 'none'"] as const;

/** ASP.NET's message for a full server, and the Retry-After value, in seconds. */
export const TOO_BUSY = 'Server Too Busy';
export const RETRY_SOON = ['Retry-After', '5'] as const;

/** Returns the header list of an answer. */
export function responseHeaders(cacheControl: string, contentType: string | undefined): readonly string[] {
  const common = ['Cache-Control', cacheControl, ...VERSION];
  return contentType === undefined ? common : [...common, 'Content-Type', contentType];
}

export function textHeaders(cacheControl: string): readonly string[] {
  return [...responseHeaders(cacheControl, 'text/plain; charset=utf-8'), ...NOSNIFF, ...TEXT_POLICY];
}

export function pageHeaders(cacheControl: string, policy: string): readonly string[] {
  return [
    ...responseHeaders(cacheControl, 'text/html; charset=utf-8'),
    ...NOSNIFF,
    POLICY,
    policy,
    'Referrer-Policy',
    'no-referrer',
  ];
}
