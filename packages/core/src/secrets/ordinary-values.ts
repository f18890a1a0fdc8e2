/** Values that stand under names of credentials and are none. */
const SETTING =
  /^(true|false|yes|no|on|off|none|null|undefined|unset|default|auto|enabled?|disabled?|required|optional|localhost|production|development|staging|testing)$/i;

/** Whether a value is a setting rather than a credential, whatever its name is. */
export function isSetting(value: string): boolean {
  return SETTING.test(value);
}

/** Passwords of examples and of freshly installed programs. Who redacted these words would make results unreadable. */
const WELL_KNOWN: ReadonlySet<string> = new Set(
  `admin administrator airflow apikey bearer cassandra changeit changeme clickhouse client couchdb database debian docker
  elastic elasticsearch example grafana guest hasura influxdb jenkins keycloak kubernetes letmein manager mariadb master
  minioadmin mongodb mysql neo4j nobody opensearch oracle passphrase passwd password passwords placeholder postgres
  postgresql private public qwerty rabbitmq redis root sample secret secrets server service sqlserver supabase system
  testuser tester token ubuntu user username vagrant welcome`.split(/\s+/),
);

/** Whether a value is a password that everybody knows, and at the same time an ordinary word. */
export function isWellKnown(value: string): boolean {
  return WELL_KNOWN.has(value.toLowerCase().replaceAll(/[-_ ]/g, ""));
}

const MAX_WORDS = 3;
/** Longer than nearly every word. */
const MAX_WORD_LENGTH = 20;

/**
 * Whether a value reads like plain text rather than like a credential: up to three words, a number, a path, a host or
 * an address. Redacting it wherever it occurs would make results useless (`/home/ada`, `eu-central-1`, `production`).
 * What mixes letters and digits, or upper and lower case, as generated keys do, is not ordinary.
 */
export function isOrdinary(value: string): boolean {
  const text = value.trim();
  if (text === "" || isSetting(text) || isPath(text)) return true;
  const isLocation = isAddress(text);
  const parts = text.split(/[^\p{L}\p{N}]+/u).filter((part) => part !== "");
  if (!parts.every((part) => isPlain(part, isLocation))) return false;
  return isLocation || parts.filter((part) => /\p{L}{3}/u.test(part)).length <= MAX_WORDS;
}

/** A path with at least one folder in it. */
function isPath(text: string): boolean {
  return /^(~|\.{1,2}|[a-z]:)?[\\/]+[^\\/]+[\\/]/i.test(text) || /^(~|\.{1,2})\//.test(text);
}

/** A URL, the name of a host, or the path of one file or folder. */
function isAddress(text: string): boolean {
  return /^\/|^[a-z]:\\|^[a-z][a-z0-9+.-]*:\/\/|^[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+(:\d+)?([\\/]|$)/iu.test(text);
}

/** `word`, `Word`, `WORD`, `camelCase`, `8080`, `v2`, `web01`; in an address also `server2024`. */
function isPlain(part: string, isLocation: boolean): boolean {
  if (part.length <= 3) return true;
  if (/^\p{N}+$/u.test(part)) return part.length <= 7;
  const [, letters = "", digits = ""] = /^(\p{L}+)(\p{N}{0,4})$/u.exec(part) ?? [];
  if (digits !== "" && part.length > 6 && !isLocation) return false;
  return letters !== "" && letters.length <= MAX_WORD_LENGTH && hasCaseOfWords(letters);
}

function hasCaseOfWords(letters: string): boolean {
  if (letters === letters.toLowerCase() || letters === letters.toUpperCase()) return true;
  // The humps of camelCase have a few letters each; in a generated key most have one or two.
  const humps = letters.split(/(?=\p{Lu})/u);
  return letters.length / humps.length >= 3 && humps.every((hump) => /^\p{L}\p{Ll}+$/u.test(hump));
}
