import type { NamespaceDeclaration } from './xml-namespaces';

/** An element whose end tag has not come. */
export interface OpenElement {
  /** Its qualified name, and the offset of that. */
  readonly name: string;
  readonly start: number;
  /** Mark of the namespaces in scope around it. */
  readonly mark: number;
}

/** Where a reading stands behind a start tag: all that matters for what follows. */
export interface ReadingPoint {
  readonly offset: number;
  readonly open: readonly OpenElement[];
  readonly declarations: readonly NamespaceDeclaration[];
}
