/** A place in a sample message where something else is to stand. */
export interface Gap {
  /** The word that ASP.NET's help page shows in the place. */
  readonly placeholder: string;
  /** The parameter whose value belongs there; undefined in answers and for the length. */
  readonly parameter: string | undefined;
}

// A private-use character: neither names nor namespaces of a service description hold it.
const GAP_EDGE = '\uE000';

/** Writes a gap into a text from which a {@link MessageTemplate} is made. */
export function gap(placeholder: Gap['placeholder'], parameter = ''): string {
  return [GAP_EDGE, placeholder, ' ', parameter, GAP_EDGE].join('');
}

/** A message with gaps. */
export class MessageTemplate {
  readonly parts: readonly (string | Gap)[];

  /** @param marked text with gaps as {@link gap} writes them */
  constructor(marked: string) {
    this.parts = marked
      .split(GAP_EDGE)
      .map((part, index) => (index % 2 === 0 ? part : readGap(part)))
      .filter((part) => part !== '');
  }

  /** The message with every gap filled. */
  fill(valueOf: (gap: Gap) => string): string {
    return this.parts.map((part) => (typeof part === 'string' ? part : valueOf(part))).join('');
  }
}

function readGap(text: string): Gap {
  // A placeholder may hold blanks (`Low or Middle or High`), a name of XML does not.
  const end = text.lastIndexOf(' ');
  const parameter = text.slice(end + 1);
  return { placeholder: text.slice(0, end), parameter: parameter === '' ? undefined : parameter };
}
