import { get, type RawRequest } from '..';

/** A telephone for each number: there is no limit for codes to different ones. */
export function phoneOf(number: number): string {
  return `+90555${String(number).padStart(7, '0')}`;
}

/** A call that sends a code. */
export function codeRequest(phone: string): RawRequest {
  return get('AuthCodeSending', 'AuthCode', new URLSearchParams({ code: '4711', phone }).toString());
}
