import type { Settings } from '../../config';
import { preflight, type Runtime } from '../../service/preflight';
import type { Section } from './section';

/** Every setting in effect with where it comes from, and what is wrong with them. */
export function checkSettings(settings: Settings, runtime?: Runtime): Section {
  const rows = settings.effective.map(({ name, shown, origin }) => [name, origin, shown]);
  return { title: 'Settings', rows, findings: preflight(settings, runtime) };
}

/** A section whose findings say where the settings stand that they name. */
export function located(section: Section, settings: Settings): Section {
  const findings = section.findings.map((finding) => ({
    ...finding,
    message: settings.located(finding.message),
  }));
  return { ...section, findings };
}
