const TOKEN =
  /^(gh[pousr]_|github_pat_|glpat-|sk-|[spr]k_live_|xox[a-z]-|xapp-|AKIA|AIza|ya29\.|hf_|npm_|ntn_|figd_|lin_api_|dop_v1_|eyJ[\w-]{8,}\.)[^\s/]+$/;

/** Recognizes tokens by their well-known prefixes, wherever they are. */
export function isToken(text: string): boolean {
  return text.length >= 16 && TOKEN.test(text);
}

/** Returns the tokens that stand in a text. */
export function tokensIn(text: string): string[] {
  return text.split(/[\s"'`=,;:@?&()<>{}[\]]+/).filter(isToken);
}
