import type { Gateway } from './gateway-file';
import type { Route } from './gateway-schema';

/** Conditions of a rule; one without a condition matches everything. */
interface Conditions {
  readonly status?: readonly string[] | undefined;
  readonly code?: readonly string[] | undefined;
}

/**
 * Describes the rules of GATEWAYS_FILE, or values in them, that are never used because an earlier rule always
 * matches first. Each text is a sentence.
 */
export function shadowedRules(gateways: readonly Gateway[], routes: readonly Route[]): readonly string[] {
  return [
    ...gateways.flatMap(({ name, answers, awaited }) => [
      ...shadowed(`gateways > ${name} > answers`, answers),
      ...Object.entries(awaited?.rules ?? {}).flatMap(([place, rules]) =>
        shadowed(`gateways > ${name} > ${place}`, rules),
      ),
    ]),
    ...shadowed(
      'routes',
      routes.map(({ countries }) => ({ code: countries })),
    ),
  ];
}

function shadowed(place: string, rules: readonly Conditions[]): readonly string[] {
  return rules.flatMap((rule, at) =>
    (rule.status ?? [undefined]).flatMap((status) =>
      (rule.code ?? [undefined]).flatMap((code) => {
        const by = rules
          .slice(0, at)
          .findIndex((earlier) => covers(earlier.status, status) && covers(earlier.code, code));
        const values = [status, code].filter((value) => value !== undefined).join(', ');
        const what = values === '' ? '' : ` (${values})`;
        return by === -1
          ? []
          : [`${place} > ${String(at)}${what} is never used: ${place} > ${String(by)} matches first.`];
      }),
    ),
  );
}

/** Returns true if a condition holds for a value, or for every value if that is undefined. */
function covers(condition: readonly string[] | undefined, value: string | undefined): boolean {
  if (condition === undefined) return true;
  if (value === undefined) return false;
  return condition.some(
    (each) => each === value || (/^[1-5]xx$/.test(each) && value.startsWith(each.charAt(0))),
  );
}
