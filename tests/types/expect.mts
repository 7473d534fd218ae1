// Assertions about types: they hold, or this does not compile.

/** Whether two types are the same, `any` and `readonly` told apart. */
export type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** `expectType<Equal<A, B>>()` compiles where they are. */
export declare function expectType<T extends true>(): void;

/** `expectTypeOf(value, expectation<T>())` compiles where the value's type is exactly `T`. */
export declare function expectTypeOf<A, B>(value: A, expected: Expectation<B> & (Equal<A, B> extends true ? unknown : never)): void;
export declare function expectation<T>(): Expectation<T>;
export interface Expectation<T> {
  readonly "~type"?: (value: T) => T;
}
