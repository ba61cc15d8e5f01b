import { BINDINGS } from '../../src/asmx/internal';
import {
  type ElementContract,
  isValueType,
  type PlainName,
  type PlainType,
  type ValueType,
} from '../../src/asmx/contract/values';
import type { OperationContract } from '../../src/asmx/contract/operation';
import { localClock } from '../../src/asmx/types/local-clock';
import type { ReadingRules } from '../../src/asmx/types/plain-types';

/** Reading as ASP.NET does it, by this machine's clock. */
export const READING_RULES: ReadingRules = { charReading: 'strict', clock: localClock() };

/** One of the types without parts. */
export function plain(name: PlainName): PlainType {
  return { kind: 'plain', name };
}

/** An element that may be left out as .NET has it: where its type can be null, and it is not nillable. */
export function element(
  name: string,
  type: PlainName | ValueType,
  declared: Partial<Pick<ElementContract, 'optional' | 'nillable'>> = {},
): ElementContract {
  const known = typeof type === 'string' ? plain(type) : type;
  const { nillable = false } = declared;
  return { name, type: known, optional: !isValueType(known) && !nillable, nillable, ...declared };
}

/** A list, whose name is made of its items'. */
export function listOf(item: ElementContract): ValueType {
  const [first = '', ...rest] = item.type.name;
  return { kind: 'list', name: `ArrayOf${first.toUpperCase()}${rest.join('')}`, item };
}

/** An item of a list: a record of strings. */
export function itemOf(name: string, ...fields: readonly string[]): ElementContract {
  const elements = fields.map((field) => element(field, 'string'));
  return element(
    name,
    { kind: 'record', name, attributes: [], elements },
    { optional: true, nillable: true },
  );
}

/** An operation without a result, offered in every binding. */
export function operationOf(name: string, ...parameters: readonly ElementContract[]): OperationContract {
  return {
    name,
    parameters,
    responseElement: `${name}Response`,
    result: undefined,
    bindings: new Set(BINDINGS),
  };
}
