import {
  loadDescription,
  readContract,
  type ServiceContract,
  type XmlAttributes,
  XmlReader,
} from '../../asmx';

/** Elements by which a description has another document read. */
const IMPORTS = ['import', 'include', 'redefine'];
const PLACES = ['location', 'schemaLocation'];

/** A description that is not read, and why; nothing of its content. */
export class DescriptionError extends Error {
  override readonly name = 'DescriptionError';
}

/**
 * Reads the service description of another server. It is not trusted: it must have no document type declaration, and
 * must name no other document, for that would be fetched.
 *
 * @throws DescriptionError
 */
export async function readDescription(text: string): Promise<ServiceContract> {
  try {
    refuseImports(text);
    return readContract(await loadDescription(text));
  } catch (error) {
    if (error instanceof DescriptionError) throw error;
    throw new DescriptionError(error instanceof Error ? error.message : 'It cannot be read.');
  }
}

function refuseImports(text: string): void {
  const ignore = (): void => undefined;
  const startElement = (local: string, _: string, attributes: XmlAttributes): void => {
    if (!IMPORTS.includes(local)) return;
    attributes.forEach((name) => {
      if (PLACES.includes(name))
        throw new DescriptionError('It has other documents read, which are not fetched.');
    });
  };
  new XmlReader({ startElement, endElement: ignore, characters: ignore, interruption: ignore }).read(text);
}
