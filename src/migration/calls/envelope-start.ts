import { SOAP11_ENVELOPE, SOAP12_ENVELOPE, type XmlHandler, XmlReader } from '../../asmx';

const VERSIONS: Readonly<Record<string, 'soap11' | 'soap12'>> = {
  [SOAP11_ENVELOPE]: 'soap11',
  [SOAP12_ENVELOPE]: 'soap12',
};

/** What the beginning of a SOAP request says. */
export interface EnvelopeStart {
  /** By the namespace of its envelope; undefined for no envelope, or another's. */
  readonly version: 'soap11' | 'soap12' | undefined;
  /** Local name of the first element in its body; undefined where it is not well-formed up to there, or has none. */
  readonly operation: string | undefined;
}

/** Thrown when the first element of the body has been told of. */
const FOUND = new Error('The rest is not read.');

/** Reads a SOAP request up to the element that names the operation. */
export function readEnvelopeStart(text: string): EnvelopeStart {
  const start = new Start();
  try {
    new XmlReader(start).read(text);
  } catch {
    // The reader's errors, and ours: what was told up to there counts.
  }
  return start;
}

class Start implements XmlHandler {
  version: EnvelopeStart['version'];
  operation: string | undefined;
  #namespace = '';
  #depth = 0;
  #inBody = false;

  startElement(local: string, namespace: string): void {
    this.#depth += 1;
    if (this.#depth === 1) [this.#namespace, this.version] = [namespace, VERSIONS[namespace]];
    else if (this.#depth === 2) this.#inBody = local === 'Body' && namespace === this.#namespace;
    else if (this.#depth === 3 && this.#inBody) {
      this.operation = local;
      throw FOUND;
    }
  }

  endElement(): void {
    this.#depth -= 1;
  }

  characters(): void {
    // Of no interest.
  }

  interruption(): void {
    // Of no interest.
  }
}
