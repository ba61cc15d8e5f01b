/** A number as people read it: `1,234`. */
export function numberText(value: number): string {
  return value.toLocaleString('en');
}

/** `1 pair`, `2 pairs`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${numberText(count)} ${count === 1 ? one : several}`;
}
