/** Bounds on one document. */
export interface XmlLimits {
  /** Deepest nesting of elements, the root counting as 1. */
  readonly xmlDepth: number;
  /** Most attributes on one element, namespace declarations included. */
  readonly xmlAttributes: number;
  /** Most elements. */
  readonly xmlElements: number;
  /** Longest name of an element or an attribute, with its prefix, in characters. */
  readonly xmlNameCharacters: number;
}

/** What a reader bounds itself while it reads. */
export interface XmlBounds extends Pick<XmlLimits, 'xmlAttributes' | 'xmlNameCharacters'> {
  /** Told of what is over its bound; throws. */
  refuse(what: 'attributes' | 'name'): never;
}

export const UNBOUNDED: XmlBounds = {
  xmlAttributes: Infinity,
  xmlNameCharacters: Infinity,
  refuse: (what) => {
    throw new Error(`Without a bound, too much of ${what}.`);
  },
};
