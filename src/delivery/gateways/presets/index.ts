import { type Preset, PRESET } from '../gateway-schema';
import infobip from './infobip.json';
import json from './json.json';
import netgsmGet from './netgsm-get.json';
import netgsmOtp from './netgsm-otp.json';
import netgsmRest from './netgsm-rest.json';
import twilio from './twilio.json';
import verimor from './verimor.json';
import vonage from './vonage.json';

const FILES: Readonly<Record<string, unknown>> = {
  twilio,
  vonage,
  'netgsm-get': netgsmGet,
  'netgsm-otp': netgsmOtp,
  'netgsm-rest': netgsmRest,
  verimor,
  infobip,
  json,
};

export const PRESET_NAMES = Object.keys(FILES);

export function readPresets(): readonly (readonly [name: string, preset: Preset])[] {
  return Object.entries(FILES).map(([name, file]) => [name, PRESET.parse(file)]);
}

/** Returns undefined for an unknown name. */
export function readPreset(name: string): Preset | undefined {
  return Object.hasOwn(FILES, name) ? PRESET.parse(FILES[name]) : undefined;
}
