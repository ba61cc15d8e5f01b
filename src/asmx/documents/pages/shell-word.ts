/**
 * Quotes a text for a command line. Double quotes serve POSIX shells, PowerShell and cmd alike as long as
 * nothing in the text means something to one of them; what holds more is quoted for POSIX shells.
 */
export function shellWord(text: string): string {
  return /^[\w:/.,?*=[\]~+-]*$/.test(text) ? `"${text}"` : `'${text.replaceAll("'", `'\\''`)}'`;
}
