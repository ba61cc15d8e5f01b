import type { CountryCode } from 'libphonenumber-js/max';

import { type Config, SettingError } from '../../config';
import type { CodeGuard, GuardCore } from '../../delivery';
import { CodeTraffic } from './code-traffic';
import { countBlockedAreas, GuardReport } from './guard-report';
import { PumpingGuard } from './pumping-guard';

/** @throws SettingError */
export function openGuard({
  config,
  store,
  logger,
  registry,
  now = Date.now,
}: GuardCore): CodeGuard | undefined {
  const { PUMPING_GUARD: guard, ROLE } = config;
  if (guard === 'off') return undefined;
  const traffic = store.repository(CodeTraffic);
  // Of all processes, the one that delivers publishes the number.
  if (ROLE !== 'web') countBlockedAreas(registry, () => traffic.blockedSince(now()));
  const enforces = guard === 'enforce';
  const report = new GuardReport(logger, registry, enforces);
  return new PumpingGuard(traffic, homeCountries(config), enforces, report.tell);
}

/**
 * Returns the countries where the families live, if the settings name them.
 *
 * @throws SettingError if they are required and missing
 */
export function homeCountries({
  PUMPING_GUARD: guard,
  DEFAULT_COUNTRY: country,
  ALLOWED_COUNTRIES: countries,
}: Config): readonly CountryCode[] {
  const homes = [...(country === undefined ? [] : [country]), ...(countries ?? [])];
  if (guard === 'enforce' && homes.length === 0) {
    throw new SettingError(
      'PUMPING_GUARD=enforce requires DEFAULT_COUNTRY or ALLOWED_COUNTRIES: the countries in which families live.',
    );
  }
  return homes;
}
