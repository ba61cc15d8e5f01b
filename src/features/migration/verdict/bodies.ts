import { decodeXmlBody, readMediaType } from '../../../asmx/internal';
import { maskedValues, maskedText } from '../masking';
import { findHeader, type HttpAnswer } from '../messages';
import { Forest, readTree, type XmlNode } from '../trees';
import { compareTrees, changeKind } from './compare-trees';
import type { Differences } from './verdict';

/** Adds the differences of the bodies: of XML by place, of anything else as text. */
export function compareBodies(old: HttpAnswer, ours: HttpAnswer, differences: Differences): void {
  if (old.body.equals(ours.body)) return;
  const [theirs, own] = [readContent(old), readContent(ours)];
  if (theirs.bytes.equals(own.bytes)) return;

  const forest = new Forest();
  const [before, after] = [parseTree(theirs, forest), parseTree(own, forest)];
  if (before !== undefined && before === after) tellWriting(theirs, own, differences);
  else if (before !== undefined && after !== undefined) compareTrees(before, after, differences);
  else if (theirs.text === own.text) tellWriting(theirs, own, differences);
  else compareTexts(theirs, own, { isTheirs: before !== undefined, isOwn: after !== undefined }, differences);
}

interface BodyContent {
  readonly bytes: Buffer;
  readonly text: string;
  readonly isXml: boolean;
}

export function decodedBody(answer: HttpAnswer): string {
  return readContent(answer).text;
}

function readContent(answer: HttpAnswer): BodyContent {
  const bytes = answer.body;
  const { name, charset } = readMediaType(findHeader(answer, 'content-type'));
  const text = decodeXmlBody(bytes, charset);
  const type = name.trim();
  const isXml = /[/+]xml$/.test(type) || (type === '' && text.trimStart().startsWith('<'));
  return { bytes, text, isXml };
}

function parseTree({ text, isXml }: BodyContent, forest: Forest): XmlNode | undefined {
  return isXml ? readTree(text, forest) : undefined;
}

function tellWriting(theirs: BodyContent, own: BodyContent, differences: Differences): void {
  differences.add('body', '/', 'writing', () => ({ level: 'xml', ...maskedValues(theirs.text, own.text) }));
}

function compareTexts(
  theirs: BodyContent,
  own: BodyContent,
  { isTheirs, isOwn }: { readonly isTheirs: boolean; readonly isOwn: boolean },
  differences: Differences,
): void {
  if (theirs.text === '' || own.text === '') {
    differences.add('body', '/', own.text === '' ? 'missing' : 'added', () => ({
      level: 'different',
      ...(own.text === '' ? { old: maskedText(theirs.text) } : { ours: maskedText(own.text) }),
    }));
    return;
  }
  const isBroken = theirs.isXml && own.isXml && isTheirs !== isOwn;
  const what = isBroken ? 'malformed' : changeKind(theirs.text, own.text);
  differences.add('body', '/', what, () => ({ level: 'different', ...maskedValues(theirs.text, own.text) }));
}

export function isPage(answer: HttpAnswer): boolean {
  return readMediaType(findHeader(answer, 'content-type')).name.trim() === 'text/html';
}
