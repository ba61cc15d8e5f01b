import { ContractError, type ServiceContract } from '../contract/operation';

/** What the pages say of a parameter, in plain text. */
export interface ParameterHelp {
  /** One sentence: what the value is. */
  readonly meaning: string;
  /** A value that works, as it is written over HTTP GET: a character is the character itself. */
  readonly example?: string | undefined;
  /** A value that does not work, written likewise, and a text that its answer holds. */
  readonly refused?: { readonly value: string; readonly text: string } | undefined;
}

/** What the pages say of an operation beside what its description tells, in plain text. */
export interface OperationHelp {
  /** One sentence: what it does. */
  readonly summary: string;
  /** By name: exactly those of the description. */
  readonly parameters: Readonly<Record<string, ParameterHelp>>;
  /** What comes back, and what an empty answer means. */
  readonly result: string;
}

/** By operation: exactly those of the service description. */
export type ServiceHelp = Readonly<Record<string, OperationHelp>>;

/** Values that work, by parameter; see {@link ParameterHelp}. */
export type ExampleValues = Readonly<Record<string, string>>;

/** @throws ContractError where it names an operation or a parameter that there is not, or leaves one out */
export function checkHelp({ name: service, operations }: ServiceContract, help: ServiceHelp): void {
  const at = `The help for the service description ${service}`;
  compareNames(`${at} and its operations`, namesOf(operations), Object.keys(help));
  for (const { name, parameters } of operations) {
    const told = Object.keys(help[name]?.parameters ?? {});
    compareNames(`${at} and the parameters of ${name}`, namesOf(parameters), told);
  }
}

export function examplesOf(help: OperationHelp | undefined): ExampleValues {
  return Object.fromEntries(
    Object.entries(help?.parameters ?? {}).flatMap(([name, { example }]) =>
      example === undefined ? [] : [[name, example]],
    ),
  );
}

function namesOf(named: readonly { readonly name: string }[]): readonly string[] {
  return named.map(({ name }) => name);
}

function compareNames(what: string, described: readonly string[], told: readonly string[]): void {
  const unknown = told.find((name) => !described.includes(name));
  const missing = described.find((name) => !told.includes(name));
  if (unknown !== undefined)
    throw new ContractError(`${what} do not fit each other: the description has no ${unknown}.`);
  if (missing !== undefined)
    throw new ContractError(`${what} do not fit each other: the help says nothing of ${missing}.`);
}
