/** The TypeScript project that a catalog is part of, as far as it matters to modules that are elsewhere. */
import { dirname, isAbsolute, resolve } from "node:path"
import { askTsc, type TypeScript } from "./compiler.ts"

/** What a config comes to, with all that it extends, for modules that are elsewhere. */
export interface Project {
  readonly config: string
  /** What it declares for all of its files. */
  readonly ambient: readonly string[]
  /** Those in which `${configDir}` may stand: of a config that extends this one, that is another folder. */
  readonly options: object
}

export async function openProject(typescript: TypeScript, config: string): Promise<Project> {
  const folder = dirname(config)
  const shown = await askTsc(typescript, ["--showConfig", "-p", config], folder)
  try {
    const { files = [], compilerOptions = {} } = JSON.parse(shown) as Shown
    const { paths, typeRoots, rootDirs } = compilerOptions
    const absolute = (all: readonly string[]): readonly string[] => all.map((path) => resolve(folder, path))
    return {
      config,
      ambient: absolute(files.filter((file) => /\.d\.[mc]?ts$/.test(file))),
      options: {
        // What is relative is so to the file that it stands in.
        ...(paths && Object.values(paths).flat().every(isAbsolute) ? { paths } : {}),
        ...(typeRoots && { typeRoots: absolute(typeRoots) }),
        ...(rootDirs && { rootDirs: absolute(rootDirs) }),
      },
    }
  } catch {
    // It is no project as it stands; then tsc says why, when it is asked about the plans.
    return { config, ambient: [], options: {} }
  }
}

interface Shown {
  readonly files?: readonly string[]
  readonly compilerOptions?: {
    readonly paths?: { readonly [pattern: string]: readonly string[] }
    readonly typeRoots?: readonly string[]
    readonly rootDirs?: readonly string[]
  }
}

/** The project's own options, but for what is about other files than these, or about writing. */
export function configFor(catalogPath: string, project: Project | undefined, files: readonly string[]): object {
  const options = {
    ...(project?.options ?? { module: "nodenext", target: "es2024", strict: true }),
    // Without it every type has room for null, and nothing is missing anywhere.
    strictNullChecks: true,
    skipLibCheck: true,
    noUnusedLocals: false,
    noUnusedParameters: false,
    verbatimModuleSyntax: false,
    allowImportingTsExtensions: true,
    rewriteRelativeImportExtensions: false,
    noEmit: true,
    composite: false,
    incremental: false,
    declaration: false,
    declarationMap: null,
    declarationDir: null,
    emitDeclarationOnly: null,
    isolatedDeclarations: null,
    tsBuildInfoFile: null,
    rootDir: null,
    outDir: null,
    outFile: null,
    // What a catalog in JavaScript has of types is in its code.
    ...(/\.[mc]?js$/.test(catalogPath) ? { allowJs: true } : {}),
  }
  const { config, ambient = [] } = project ?? {}
  const extended = config === undefined ? {} : { extends: config }
  return { ...extended, compilerOptions: options, include: [], files: [...ambient, ...files] }
}
