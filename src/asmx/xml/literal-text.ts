/** A text for xmlbuilder2, which takes `&name;` for a reference of the writer's own and leaves it as it stands. */
export function literalText(text: string): string {
  return text.replaceAll('&', '&amp;');
}
