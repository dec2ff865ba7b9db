import './live/no-eval.ts'
import './styles/tokens.css'
import './styles/base.css'
import './parts/common.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { connect } from './live/connection.ts'
import { LiveProvider } from './live/context.tsx'
import { rememberVisits } from './live/last-here.ts'
import { createQueries, follow } from './live/queries.ts'
import { followTree } from './live/tree.ts'
import { applyTheme } from './shell/theme.tsx'

/** Milliseconds that the first drawing waits for the tree. */
const PATIENCE = 100

applyTheme()
rememberVisits()
const connection = connect()
const queries = createQueries()
follow(connection, queries)
const tree = followTree(connection)

const root = document.getElementById('page')
if (root === null) throw new Error('index.html has no #page')
// Most often the tree is there by now, and what is seen first is drawn once.
const draw = () =>
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <LiveProvider value={connection}>
          <App />
        </LiveProvider>
      </QueryClientProvider>
    </StrictMode>,
  )
void Promise.race([tree, new Promise((resolve) => setTimeout(resolve, PATIENCE))]).then(draw, draw)
