const XML = 'http://www.w3.org/XML/1998/namespace';
const XMLNS = 'http://www.w3.org/2000/xmlns/';
/** Prefixes whose stacks are kept for the next document. */
const MOST_KEPT = 32;

interface NamespaceDeclaration {
  /** Empty for the default namespace. */
  readonly prefix: string;
  readonly namespace: string;
}

/**
 * The namespaces in scope while a document is read: one stack of names per prefix, so that a look-up costs the
 * same however many declarations a hostile document makes.
 */
export class NamespaceScope {
  readonly #stacks = new Map<string, string[]>();
  /** In their order, for taking them back. */
  readonly #declared: NamespaceDeclaration[] = [];

  reset(): void {
    this.shrink(0);
    // One document may not fill the memory with its prefixes.
    if (this.#stacks.size > MOST_KEPT || this.#stacks.size === 0) {
      this.#stacks.clear();
      this.#stacks.set('xml', [XML]);
      this.#stacks.set('', ['']);
    }
  }

  /** How many declarations are in force; for {@link shrink}. */
  get size(): number {
    return this.#declared.length;
  }

  /** True where Namespaces in XML 1.0 allow the declaration. */
  static allows(prefix: string, namespace: string): boolean {
    if (prefix === 'xmlns' || namespace === XMLNS) return false;
    if ((prefix === 'xml') !== (namespace === XML)) return false;
    return prefix === '' || namespace !== '';
  }

  declare(declaration: NamespaceDeclaration): void {
    const { prefix, namespace } = declaration;
    const stack = this.#stacks.get(prefix);
    if (stack === undefined) this.#stacks.set(prefix, [namespace]);
    else stack.push(namespace);
    this.#declared.push(declaration);
  }

  /** The namespace of a prefix, empty for no prefix and no default; undefined where nothing declares it. */
  find(prefix: string): string | undefined {
    return this.#stacks.get(prefix)?.at(-1);
  }

  /** Takes back the latest declarations, down to so many. */
  shrink(size: number): void {
    while (this.#declared.length > size) this.#stacks.get(this.#declared.pop()?.prefix ?? '')?.pop();
  }
}
