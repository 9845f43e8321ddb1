package main

import "context"
import "errors"
import "github.com/tetratelabs/wazero/api"

// Call answers a request in a workspace, which is an instance of the module. After an error, make another.
func Call(ctx context.Context, workspace api.Module, request string) (answer string, err error) {
	run := func(export string, args ...uint64) uint64 {
		var results []uint64
		if function := workspace.ExportedFunction(export); err == nil && function != nil {
			results, err = function.Call(ctx, args...)
		}
		return append(results, 0)[0]
	}
	abi, place := run("fleetfold_abi"), run("fleetfold_alloc", uint64(len(request)))
	if err != nil || abi != 1 || place == 0 || !workspace.Memory().WriteString(uint32(place), request) {
		return "", errors.Join(errors.New("the module has another ABI than 1, or no room for the request"), err)
	}
	defer run("fleetfold_free", place, uint64(len(request)))
	found := run("fleetfold_call", place, uint64(len(request)))
	defer run("fleetfold_free", found>>32, found&0xffffffff)
	bytes, _ := workspace.Memory().Read(uint32(found>>32), uint32(found))
	return string(bytes), err
}
