/** What a service description says, by place: no prefix, no order that means nothing, no name that only it uses. */
export interface Fact {
  /** Left out where only what is below says something. */
  readonly value?: string;
  /** Whether the order of what is below says something. */
  readonly isOrdered?: boolean;
  readonly below: ReadonlyMap<string, Fact>;
}

/** A fact of its parts; of two parts of one name the first counts. */
export function fact(
  parts: readonly (readonly [name: string, fact: Fact])[],
  value?: string,
  isOrdered = false,
): Fact {
  const below = new Map<string, Fact>();
  for (const [name, part] of parts) if (!below.has(name)) below.set(name, part);
  return { ...(value !== undefined && { value }), isOrdered, below };
}

/** A fact without parts. */
export function plainFact(value: string): Fact {
  return fact([], value);
}
