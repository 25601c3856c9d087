import { refuse } from './refusal.ts';

type Token = string | number;

/** Calculates an expression of numbers, + - * / and parentheses, rounded to two decimals. Refuses anything else. */
export function calculate(expression: string): number {
  const tokens = tokensOf(expression);
  const value = sum(tokens);
  if (tokens.length > 0 || !Number.isFinite(value)) refuse(`"${expression}" cannot be calculated`);
  return Number(value.toFixed(2));
}

function tokensOf(expression: string): Token[] {
  if (/[^\d\s.+\-*/()]/.test(expression)) refuse('an expression has numbers, + - * / and parentheses only');
  const texts = expression.match(/\d+\.?\d*|\.\d+|[+\-*/().]/g) ?? [];
  return texts.map((text) => (/\d/.test(text) ? Number(text) : text));
}

/** sum = product { (+|-) product } */
function sum(tokens: Token[]): number {
  let value = product(tokens);
  while (tokens[0] === '+' || tokens[0] === '-') value += tokens.shift() === '+' ? product(tokens) : -product(tokens);
  return value;
}

/** product = factor { (*|/) factor } */
function product(tokens: Token[]): number {
  let value = factor(tokens);
  while (tokens[0] === '*' || tokens[0] === '/') {
    if (tokens.shift() === '*') value *= factor(tokens);
    else value /= factor(tokens);
  }
  return value;
}

/** factor = number | (+|-) factor | "(" sum ")" */
function factor(tokens: Token[]): number {
  const token = tokens.shift();
  if (typeof token === 'number') return token;
  if (token === '-') return -factor(tokens);
  if (token === '+') return factor(tokens);
  const value = token === '(' ? sum(tokens) : refuse('a number is missing');
  if (tokens.shift() !== ')') refuse('a parenthesis is not closed');
  return value;
}
