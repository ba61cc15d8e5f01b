import { type AttributeContract, type ElementContract, isValueType, type ValueType } from './contract/values';
import { ContractError, type ServiceContract } from './contract/operation';
import { PLAIN_TYPES } from './types/plain-types';

/**
 * Writes the TypeScript types of what the operations of some services take and return, so that the compiler
 * holds handlers to their service descriptions: a module that exports OPERATIONS, ContractOperations and one
 * type for each enumeration and each record.
 *
 * @param library module specifier from which the text imports DateTime
 * @throws ContractError when two contracts use one name for different operations or types
 */
export function contractTypes(contracts: readonly ServiceContract[], library: string): string {
  const writer = new Writer();
  const operations = contracts.flatMap(({ name: service, operations }) =>
    operations.map((operation) => ({ ...operation, service })),
  );
  const names = operations.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new ContractError(`More than one service has an operation ${twice}.`);

  const listed = operations.map(
    ({ name, service, parameters }) =>
      `${quoted(name)}: { service: ${quoted(service)}, parameters: [${parameters.map((each) => quoted(each.name)).join(', ')}] },`,
  );
  const typed = operations.map(
    ({ name, parameters, result }) =>
      `${quoted(name)}: { parameters: ${writer.members(parameters)}; result: ${
        result === undefined ? 'undefined' : writer.element(result)
      } };`,
  );
  return [
    writer.usesDateTime ? `import type { DateTime } from '${library}';\n` : '',
    ...writer.declarations,
    '/** Which service offers each operation, and what its parameters are called. */',
    `export const OPERATIONS = {\n${listed.join('\n')}\n} as const;\n`,
    '/** Arguments and result of each operation. */',
    `export interface ContractOperations {\n${typed.join('\n')}\n}\n`,
  ].join('\n');
}

/** Writes types, and collects the declarations of named ones. */
class Writer {
  readonly #declared = new Map<string, string>();
  usesDateTime = false;

  get declarations(): readonly string[] {
    return [...this.#declared.values()];
  }

  members(elements: readonly ElementContract[]): string {
    if (elements.length === 0) return 'Readonly<Record<string, never>>';
    const members = elements.map((each) => `${quoted(each.name)}: ${this.element(each)};`);
    return `Readonly<{ ${members.join(' ')} }>`;
  }

  element({ type, optional, nillable }: ElementContract): string {
    return this.#type(type) + (nillable || optional || !isValueType(type) ? ' | null' : '');
  }

  #type(type: ValueType): string {
    switch (type.kind) {
      case 'plain':
        this.usesDateTime ||= type.name === 'dateTime';
        return PLAIN_TYPES[type.name].typeScript;
      case 'enumeration':
        return this.#declare(type.name, type.values.map(quoted).join(' | '));
      case 'record':
        // An interface would have no index signature, which the protocol's own types ask for.
        return this.#declare(type.name, this.members([...type.attributes.map(asElement), ...type.elements]));
      case 'list':
        // A missing item does not exist, so items are never optional.
        return `readonly (${this.element({ ...type.item, optional: false })})[]`;
    }
  }

  #declare(typeName: string, type: string): string {
    // XML allows names that TypeScript does not.
    const name = typeName.replace(/[^\p{L}\p{N}_]/gu, '_');
    const declaration = `export type ${name} = ${type};\n`;
    const known = this.#declared.get(name);
    if (known !== undefined && known !== declaration)
      throw new ContractError(`Two services have different types named ${name}.`);
    this.#declared.set(name, declaration);
    return name;
  }
}

/** Describes an attribute as an element; an optional attribute that is missing is null. */
function asElement({ name, type, optional }: AttributeContract): ElementContract {
  return { name, type, optional, nillable: false };
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
