import type { EnumerationType } from '../contract';
import { INT32, readInteger } from './integers';
import { ValueError } from './value-error';

/** Reads an enumeration's name over SOAP, where nothing may stand around it. @throws ValueError */
export function readXmlName(text: string, { name, values }: EnumerationType): string {
  if (values.includes(text)) return text;
  throw new ValueError(invalidName(text, name));
}

/** What .NET says of a name that an enumeration does not have. */
export function invalidName(value: string, type: string): string {
  return `Instance validation error: '${value}' is not a valid value for ${type}.`;
}

/**
 * Reads an enumeration as Enum.Parse does: a name, or several with commas between, or a number, which all come to the
 * name whose number they make. The numbers are taken to be .NET's own, from zero on; where no name has the number, the
 * value is its digits, as .NET lets it be.
 *
 * @throws ValueError
 */
export function readFormName(text: string, { values }: EnumerationType): string {
  const trimmed = text.trim();
  if (trimmed === '') throw new ValueError('Must specify valid information for parsing in the string.');
  const number = numberOf(trimmed) ?? numberOfNames(trimmed, values);
  if (number === undefined) throw new ValueError(`Requested value '${trimmed}' was not found.`);
  return values[number] ?? String(number);
}

function numberOf(text: string): number | undefined {
  return /^[+-]?[0-9]+$/.test(text) ? readInteger(text, INT32, 'signed') : undefined;
}

function numberOfNames(text: string, values: readonly string[]): number | undefined {
  let number = 0;
  for (const name of text.split(',')) {
    const index = values.indexOf(name.trim());
    if (index < 0) return undefined;
    number |= index;
  }
  return number;
}
