import { ContractError, type ServiceContract } from '../contract/operation';

/** Help for a parameter, in plain text. */
export interface ParameterHelp {
  /** One sentence: what the value is. */
  readonly meaning: string;
  /** A valid value, as written over HTTP GET: a character is the character itself. */
  readonly example?: string | undefined;
  /** An invalid value, in the same form, and a text that its answer contains. */
  readonly refused?: { readonly value: string; readonly text: string } | undefined;
}

/** Help for an operation beyond its description, in plain text. */
export interface OperationHelp {
  /** One sentence: what it does. */
  readonly summary: string;
  /** Help by parameter name: exactly the parameters of the description. */
  readonly parameters: Readonly<Record<string, ParameterHelp>>;
  /** Meaning of the result, and of an empty one. */
  readonly result: string;
}

/** Help by operation: exactly the operations of the service description. */
export type ServiceHelp = Readonly<Record<string, OperationHelp>>;

/** Valid values by parameter; see {@link ParameterHelp}. */
export type ExampleValues = Readonly<Record<string, string>>;

/** @throws ContractError for an unknown operation or parameter, or one left out */
export function checkHelp({ name: service, operations }: ServiceContract, help: ServiceHelp): void {
  const at = `The help for the service description ${service}`;
  compareNames(`${at} and its operations`, listNames(operations), Object.keys(help));
  for (const { name, parameters } of operations) {
    const names = Object.keys(help[name]?.parameters ?? {});
    compareNames(`${at} and the parameters of ${name}`, listNames(parameters), names);
  }
}

export function readExamples(help: OperationHelp | undefined): ExampleValues {
  return Object.fromEntries(
    Object.entries(help?.parameters ?? {}).flatMap(([name, { example }]) =>
      example === undefined ? [] : [[name, example]],
    ),
  );
}

function listNames(named: readonly { readonly name: string }[]): readonly string[] {
  return named.map(({ name }) => name);
}

function compareNames(what: string, described: readonly string[], named: readonly string[]): void {
  const unknown = named.find((name) => !described.includes(name));
  const missing = described.find((name) => !named.includes(name));
  if (unknown !== undefined)
    throw new ContractError(`${what} do not match: the description has no ${unknown}.`);
  if (missing !== undefined) throw new ContractError(`${what} do not match: the help lacks ${missing}.`);
}
