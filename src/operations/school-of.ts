import { canonicalSchoolUrl } from '../store';
import { LONGEST } from './arguments';

/** Parameters that name a school, by operation. */
const SCHOOL_PARAMETERS: Readonly<Record<string, string>> = {
  GetStudentSchool: 'school_base_url',
  SendMarkNotes: 'baseUrlSchool',
};

/** Key of the school that a call names; undefined where it names none, or in a way that its operation refuses. */
export function schoolOf(operation: string, args: Readonly<Record<string, unknown>>): string | undefined {
  const url = args[SCHOOL_PARAMETERS[operation] ?? ''];
  if (typeof url !== 'string' || url === '' || url.length > LONGEST.url) return undefined;
  return canonicalSchoolUrl(url);
}
