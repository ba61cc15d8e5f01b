/** Removes the white space around a number's text; .NET also ignores null characters at its end. */
export function trimNumber(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0) end -= 1;
  let start = 0;
  while (start < end && isNumberSpace(text.charCodeAt(start))) start += 1;
  while (end > start && isNumberSpace(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** Removes XML's white space around a text. */
export function trimXml(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isXmlSpace(text.charCodeAt(start))) start += 1;
  while (end > start && isXmlSpace(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** Returns true for white space in .NET's numbers: tab to carriage return, and the blank. */
function isNumberSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

function isXmlSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
