import type { AttemptedCall, Binding } from '../asmx';
import type { May } from './access-file';

/** What a call was refused for. */
export type Denial = 'operation' | 'binding' | 'school';

/** What somebody may call. */
export class Permissions {
  readonly #operations: ReadonlySet<string> | undefined;
  readonly #bindings: ReadonlySet<Binding> | undefined;
  readonly #schools: ReadonlySet<string> | undefined;

  constructor({ operations, bindings, schools }: May) {
    this.#operations = operations && new Set(operations);
    this.#bindings = bindings && new Set(bindings);
    this.#schools = schools && new Set(schools);
  }

  /** Judges what is known of a call; what is not known may still be allowed. */
  attempt({ operation, bindings }: AttemptedCall): Denial | undefined {
    const operations = this.#operations;
    if (
      operations !== undefined &&
      !(operation === undefined ? operations.size > 0 : operations.has(operation))
    )
      return 'operation';
    const own = this.#bindings;
    return own === undefined || bindings.some((binding) => own.has(binding)) ? undefined : 'binding';
  }

  /** @param schoolOf the school that the call names, or undefined; asked for only where that counts */
  call(operation: string, binding: Binding, schoolOf: () => string | undefined): Denial | undefined {
    if (this.#operations?.has(operation) === false) return 'operation';
    if (this.#bindings?.has(binding) === false) return 'binding';
    if (this.#schools === undefined) return undefined;
    const school = schoolOf();
    return school === undefined || this.#schools.has(school) ? undefined : 'school';
  }
}
